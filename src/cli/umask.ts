/** The umask for what a daemon writes. A stricter one, such as 0777, would keep the daemon from its own files. */
const OWNER_ONLY = 0o077

let inherited: number | undefined

/** Restricts the files and folders that this process creates from now on to their owner, whatever umask it has inherited. */
export function createForOwner(): void {
  const before = process.umask(OWNER_ONLY)
  inherited ??= before
}

/** Runs work, such as starting the user's own program, with the inherited umask. */
export function withInheritedUmask<T>(work: () => T): T {
  const before = process.umask()
  process.umask(inherited ?? before)
  try {
    return work()
  } finally {
    process.umask(before)
  }
}
