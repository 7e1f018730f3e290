import type Sqlite from 'better-sqlite3'

/**
 * Writes that arrive in one turn of the event loop share a transaction, and are answered after its commit: what a server
 * on SQLite has to do to be quick.
 */
export function groupCommit(database: Sqlite.Database): <Result>(write: () => Result) => Promise<Result> {
  let waiting: { run: () => () => void }[] = []
  const flush = database.transaction((works: typeof waiting) => works.map(({ run }) => run()))
  const commit = () => {
    const works = waiting
    waiting = []
    for (const answer of flush(works)) answer()
  }
  return (write) =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(commit)
      waiting.push({
        run: () => {
          const result = write()
          return () => resolve(result)
        },
      })
    })
}
