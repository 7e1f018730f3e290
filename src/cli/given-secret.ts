import { readSecretFile } from '../text/given-file.ts'
import { wrongUsage } from './failure.ts'

/** The options of a command for a secret: the secret itself, or the path of a file that contains it. */
type GivenSecret = { readonly secret: string | undefined; readonly file: string | undefined }

/**
 * Returns the secret that the options of a command give. The file keeps it out of the process list.
 * @param option - the name of the option with the secret; the one with the file is `<option>-file`
 * @throws Failure 2 if both are given, or if the file cannot be read
 */
export function givenSecret(option: string, { secret, file }: GivenSecret): string | undefined {
  if (file === undefined) return secret
  if (secret !== undefined) throw wrongUsage(`${option} and ${option}-file cannot be combined.`)
  try {
    return readSecretFile(file)
  } catch (error) {
    throw wrongUsage(`The file of ${option}-file cannot be read: ${(error as Error).message}`)
  }
}
