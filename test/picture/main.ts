import { writeFile } from 'node:fs/promises'
import { makePicture, PICTURE } from './picture.ts'

await writeFile(PICTURE, await makePicture())
console.log(`made ${PICTURE}`)
