const meanings: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EADDRINUSE: "another program listens there",
  EADDRNOTAVAIL: "this machine does not have that address",
  EBUSY: "it is in use",
  EDQUOT: "the disk quota is used up",
  EEXIST: "it already exists",
  EFBIG: "it is larger than the file system allows",
  EIO: "input/output error",
  EISDIR: "it is a directory",
  ELOOP: "it is a symlink, or part of a loop of them",
  EMFILE: "too many files are open; allow more with ulimit -n 4096",
  ENAMETOOLONG: "a name in the path is too long",
  ENFILE: "too many files are open on this machine",
  ENODEV: "it is a device or a socket",
  ENOENT: "it does not exist",
  ENOSPC: "the disk is full",
  ENOTDIR: "part of the path is not a directory",
  ENOTEMPTY: "the directory is not empty",
  ENXIO: "it is a pipe, a device or a socket",
  EPERM: "the system does not allow it",
  EROFS: "the file system is read-only",
  ETXTBSY: "the program is running",
  EXDEV: "both names must be on the same file system"
}

/** The name of the errno that an exception carries, e.g. `ENOENT`; `UNKNOWN` if it carries none. */
export const errnoOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "UNKNOWN"

/** An errno in words, as a part of a sentence. */
export const errnoText = (code: string): string => meanings[code] ?? `the system reports ${code}`

/** Why the system refused to make or write a file, in words. */
export const systemReason = (error: unknown): string => {
  const code = errnoOf(error)
  if (code === "ENOENT") return "its directory does not exist and cannot be made"
  if (/^E[A-Z0-9]+$/.test(code)) return errnoText(code)
  return typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error)
}
