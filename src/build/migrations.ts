import { readdirSync, writeFileSync } from 'node:fs'

/** The first step of `npm run schema`: lists the files in src/store/migrations in src/store/migrations.ts. */
const names = readdirSync('src/store/migrations')
  .map((file) => file.replace(/\.ts$/, ''))
  .toSorted()
/** Makes a variable of a name: `0005-items-by-currency` → itemsByCurrency. */
const variableOf = (name: string): string =>
  name.replace(/^\d+-/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

writeFileSync(
  'src/store/migrations.ts',
  `import type { Migrations } from './migration.ts'
${names.map((name) => `import * as ${variableOf(name)} from './migrations/${name}.ts'\n`).join('')}
/** All migrations, in order. Written by \`npm run schema\` from the files in migrations/. */
export const MIGRATIONS: Migrations = {
${names.map((name) => `  '${name}': ${variableOf(name)},\n`).join('')}}
`,
)
process.stdout.write('wrote src/store/migrations.ts\n')
