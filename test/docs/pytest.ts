import { spawnSync } from 'node:child_process'

/** Reports whether pytest can run the examples of docs/other-languages.md. */
export const hasPytest = (): boolean => spawnSync('python3', ['-m', 'pytest', '--version']).status === 0
