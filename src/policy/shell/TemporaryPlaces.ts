import { fold } from "../path/Fold.ts"
import { isWithin } from "../path/PathText.ts"
import { holdsSecrets } from "../path/SecretNames.ts"

/** Where files may be anybody's and last for a day. */
const temporary = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm"]

/** Whether a place, with no link in it, is one of them, and no file that usually holds secrets. */
export const isTemporary = (place: string, home: string): boolean =>
  temporary.some((directory) => isWithin(place, directory)) &&
  !isWithin(place, home) &&
  !holdsSecrets(fold(place.slice(place.lastIndexOf("/") + 1)))
