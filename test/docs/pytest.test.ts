import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { paytwin, temporaryFolder } from '../cli/executable.ts'
import { textOf } from './blocks.ts'

/** The Python files of the page, by name: the first line of each block names its file. */
const FILES = [...textOf('docs/other-languages.md').matchAll(/^```python\n# (\S+)\n(.*?)^```$/gms)]

test('the examples in Python run with pytest', async () => {
  const folder = temporaryFolder()
  try {
    for (const [, name = '', text = ''] of FILES) writeFileSync(join(folder.path, name), text)
    const { status, stdout, stderr } = await paytwin(
      ['run', '--', 'python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'],
      { cwd: folder.path },
    )
    expect(stdout).toMatch(/^5 passed in /m)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  } finally {
    folder.remove()
  }
})

test('every block in Python names its file', () => {
  expect(FILES.map(([, name]) => name)).toEqual(['conftest.py', 'test_billing.py', 'test_reset.py'])
  expect(textOf('docs/other-languages.md').match(/^```python$/gm)).toHaveLength(FILES.length)
})
