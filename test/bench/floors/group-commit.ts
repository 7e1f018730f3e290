import type Sqlite from 'better-sqlite3'

/**
 * Runs writes that arrive in one turn of the event loop in one transaction, and responds after its commit, as any fast
 * server on SQLite does.
 */
export function groupCommit(database: Sqlite.Database): <Result>(write: () => Result) => Promise<Result> {
  let waiting: { run: () => () => void }[] = []
  const flush = database.transaction((works: typeof waiting) => works.map(({ run }) => run()))
  const commit = () => {
    const works = waiting
    waiting = []
    for (const response of flush(works)) response()
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
