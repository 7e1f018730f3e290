/** The umask for what a daemon writes. A stricter one, such as 0777, would keep the daemon from its own files. */
const OWNER_ONLY = 0o077

/** Runs work with a umask, and sets the previous one again. */
export function withUmask<T>(umask: number, work: () => T): T {
  const before = process.umask(umask)
  try {
    return work()
  } finally {
    process.umask(before)
  }
}

/**
 * Runs a daemon whose files and folders are for their owner only, whatever umask this process has. A process runs one at a time.
 * @param work - gets the umask of this process, for the user's own programs
 */
export async function forOwnerOnly<T>(work: (inherited: number) => Promise<T>): Promise<T> {
  const inherited = process.umask(OWNER_ONLY)
  try {
    return await work(inherited)
  } finally {
    process.umask(inherited)
  }
}
