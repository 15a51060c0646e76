Bags, and the tools of others: GNU's verify the manifests, and bagit-python reads the bags of weir and weir its own.

  $ tree() { mkdir -p $1/d/e; for i in $(seq 20); do for f in $i d/"n $i" d/e/"'$i"; do echo "$f" >"$1/$f"; done; done
  > }

## the content is moved as it is, and GNU's tools verify the manifests
  $ tree t; mkdir -p t/data/data t/empty
  > for f in data/data/x 100% %0A .hidden é "$(printf 'a\nb')" "$(printf 'a\rb')"; do
  >   echo x >"t/$f"
  > done; cp -r t before; weir hash --bagit t -a md5,sha1,sha256,sha512; diff -r before t/data; ls -A t | wc -l
  11
  $ weir check --quiet t; grep -v '^Bagging\|^Bag-Soft' t/bag-info.txt
  > grep -c '^Bagging-Date: ....-..-..$\|^Bag-Software-Agent: weir ' t/bag-info.txt
  Payload-Oxum: 347.67
  2
  $ cd t; for a in md5 sha1 sha256 sha512; do
  >   for m in manifest tagmanifest; do grep -v % $m-$a.txt | ${a}sum -c --strict | grep -v ': OK$'; done
  >   wc -l <manifest-$a.txt; grep -o 'data/100%25$\|data/%250A$\|data/a%0[AD]b$' manifest-$a.txt
  > done | sort | uniq -c
        4 67
        4 data/%250A
        4 data/100%25
        4 data/a%0Ab
        4 data/a%0Db

## changes in any number: the check says what a plain comparison says
  $ tree t; cp -r t before; weir hash --bagit t -a md5,sha512; i=0
  > for f in t/data/*[0-9] t/data/d/*[0-9] t/data/d/e/*; do
  >   i=$((i + 1)); case $((i * 7919 % 97 % 6)) in 0) echo other >"$f"; echo "$f" ;; 1) : >"$f.new"
  > echo "$f.new" ;; 2) rm "$f"; echo "$f" ;; esac
  > done | sort >expected
  > weir check --quiet t 2>/dev/null | grep ^t/data | sed 's/: FAILED.*//' | sort | cmp - expected; wc -l <expected
  29

## bags of weir are valid to bagit-python, and bags of bagit-python to weir, before and after an update
needs bagit.py
  $ for d in own others; do tree $d; for f in é 'a b' "$(printf 'x\ny')"; do echo x >"$d/$f"; done; done
  $ weir hash --bagit own -a md5,sha1,sha256,sha512
  > bagit.py --quiet --contact-name A --md5 --sha1 --sha256 --sha512 others; weir check --quiet others
  $ for d in own others; do echo new >$d/data/new; weir hash --bagit $d; bagit.py --quiet --validate $d; done
  own/data/new: new
  others/data/new: new
