# check.mk: builds the programs that test the C library, each from one of SOURCES, and the
# library with them. support/check-lib.sh sets SOURCES, PLACE, CC, FLAGS and LINK.

library := $(patsubst %.c,$(PLACE)/objects/%.o,$(shell find Sources/CWeir -name '*.c'))
helpers := $(patsubst %.c,$(PLACE)/objects/%.o,$(wildcard Tests/CLibrary/support/*.c))
# What tests run: programs that have no tests.
others := $(shell find Tests/CLibrary -name '*_program.c')
programs := $(patsubst %.c,$(PLACE)/%,$(notdir $(SOURCES) $(others)))

all: $(programs) $(PLACE)/libweir.a

define program
$(PLACE)/$(notdir $(1:.c=)): $(PLACE)/objects/$(1:.c=.o) $(2) $(PLACE)/libweir.a
	@$(CC) $(FLAGS) -o $$@ $$^ $(LINK)
endef
$(foreach test,$(SOURCES),$(eval $(call program,$(test),$(helpers))))
$(foreach other,$(others),$(eval $(call program,$(other))))

# The fuzzer is the model of its tests.
$(PLACE)/glob_tests: $(PLACE)/objects/Fuzz/c/glob.o

$(PLACE)/libweir.a: $(library)
	@rm -f $@
	@ar rcs $@ $(library)

$(PLACE)/objects/%.o: %.c
	@mkdir -p $(@D)
	@$(CC) $(FLAGS) -Iinclude -ISources/CWeir -ITests/CLibrary/support -MMD -MP -c -o $@ $<

-include $(shell find $(PLACE)/objects -name '*.d' 2>/dev/null)
