import * as yoga from 'yoga-layout'

/**
 * Resolves when Ink's layout engine, a WebAssembly module, is loaded. As an ES module the engine waits for that itself. The
 * bundle is a script, where it exports a promise instead (esbuild.config.js).
 */
export const layoutEngine: Promise<unknown> = Promise.resolve('ready' in yoga ? yoga.ready : undefined)
