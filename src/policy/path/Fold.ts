const plain = /^[ -~]*$/
const invisible = /\p{M}|\p{Default_Ignorable_Code_Point}/gu

const trimEnd = (name: string): string => {
  let end = name.length
  while (end > 0 && (name[end - 1] === "." || name[end - 1] === " ")) end--
  return name.slice(0, end)
}

const withoutStream = (name: string): string => {
  const colon = name.indexOf(":")
  return colon > 0 ? name.slice(0, colon) : name
}

/**
 * One spelling for all the names that some file system takes for the same: letter case, compatibility forms, marks and
 * ignorable characters (APFS, HFS+), trailing dots, spaces and stream suffixes (NTFS). Only for comparing with protected
 * names; containment in a root is compared exactly.
 */
export const fold = (name: string): string => {
  const letters = plain.test(name)
    ? name.toLowerCase()
    : name.normalize("NFKD").toLowerCase().normalize("NFKD").replace(invisible, "").replaceAll("ı", "i")
  return trimEnd(withoutStream(letters))
}
