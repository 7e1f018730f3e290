import * as yoga from 'yoga-layout'

/**
 * Resolves when Ink can lay out: its engine is WebAssembly, which takes a moment. As a module the engine waits for that by
 * itself; in the bundle, which is a script, it has a promise (esbuild.config.js).
 */
export const layoutEngine: Promise<unknown> = Promise.resolve('ready' in yoga ? yoga.ready : undefined)
