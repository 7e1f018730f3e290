import { readFile } from 'node:fs/promises'
import { getRawAsset, isSea } from 'node:sea'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Documentation } from '../http/admin/services.ts'

/** The file that the build writes beside the program's script. In the single executable it is an asset. */
const FILE = 'documentation.json.gz'

/** Reads the documentation that the build made. */
export async function readBuiltDocumentation(): Promise<Documentation> {
  const packed = isSea()
    ? Buffer.from(getRawAsset(FILE) as ArrayBuffer)
    : await readFile(new URL(FILE, import.meta.url))
  return JSON.parse(String(await promisify(gunzip)(packed)))
}
