import type { WorkerOptions } from 'node:worker_threads'

// Its properties are replaced, so this must be the module itself.
const threads = process.getBuiltinModule('node:worker_threads')
const { syncBuiltinESMExports } = process.getBuiltinModule('node:module')

/**
 * Loads the preload into workers that get an environment of their own. Other workers inherit NODE_OPTIONS.
 * @param script - the path of the preload
 * @param variables - the variables that it reads
 */
export function preloadWorkers(script: string, variables: Readonly<Record<string, string>>): void {
  threads.Worker = new Proxy(threads.Worker, {
    construct: (target, [file, options, ...others]: [unknown, WorkerOptions | undefined], newTarget) =>
      Reflect.construct(target, [file, withPreload(options, script, variables), ...others], newTarget),
  })
  syncBuiltinESMExports()
}

function withPreload(
  options: WorkerOptions | undefined,
  script: string,
  variables: Readonly<Record<string, string>>,
): WorkerOptions | undefined {
  const { env } = options ?? {}
  // Without an environment, or with SHARE_ENV, the worker has that of its parent.
  if (typeof env !== 'object' || env === null) return options
  const NODE_OPTIONS = `${env.NODE_OPTIONS ?? ''} --require=${JSON.stringify(script)}`.trim()
  return { ...options, env: { ...env, ...variables, NODE_OPTIONS } }
}
