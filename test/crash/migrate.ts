import { openDatabase } from '../../src/store/database.ts'
import { WITH_COPIES } from './migrations.ts'

// Migrates a database in a separate process, which can be killed.
console.log('begins')
const database = await openDatabase(process.argv[2] ?? '', 'normal', WITH_COPIES)
database.close()
