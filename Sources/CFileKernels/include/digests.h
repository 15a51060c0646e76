#ifndef D
#define D
#endif
