/** Programs none of whose options, listed or not, does more than show what is in files, whatever a file is called. */
export const onlyShow: ReadonlySet<string> = new Set(
  (
    "ls cat head tail tac rev wc nl cut stat du grep egrep fgrep cksum md5sum sha1sum sha224sum sha256sum sha384sum " +
    "sha512sum b2sum"
  ).split(" ")
)
