import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A type of the SDK's declarations. */
export type Type =
  | { readonly is: 'any' | 'string' | 'number' | 'boolean' | 'null' }
  | { readonly is: 'literal'; readonly value: unknown }
  | { readonly is: 'union'; readonly of: readonly Type[] }
  | { readonly is: 'name'; readonly name: string; readonly args: readonly Type[]; readonly at: Scope }
  | ObjectType
export type ObjectType = {
  readonly is: 'object'
  readonly fields: ReadonlyMap<string, { readonly optional: boolean; readonly type: Type }>
  /** The type of all further fields; undefined if there are none. */
  readonly rest: Type | undefined
  readonly bases: readonly Type[]
}
/** Where a name stands: its file, and the namespaces around it. */
type Scope = { readonly file: string; readonly within: readonly string[] }
type File = {
  readonly types: ReadonlyMap<string, Type>
  /** The file and the name of each import, by its local name. */
  readonly imports: ReadonlyMap<string, readonly [file: string, name: string]>
}

const COMMENTS = /\/\*.*?\*\//gs
const TOKENS = /'[^']*'|[A-Za-z_$][\w$.]*|-?\d+|\S/g
const IMPORTS = /^import (?:\{([^}]*)\}|\* as (\w+)) from '([^']+)\.js';/gm
const PRIMITIVES = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  any: 'any',
  unknown: 'any',
  // The type of `deleted` of an object that is not deleted.
  void: 'null',
} as const

function parse(path: string): File {
  const text = readFileSync(path, 'utf8').replaceAll(COMMENTS, '')
  const imports = new Map<string, readonly [string, string]>()
  for (const [, names, all, from] of text.matchAll(IMPORTS)) {
    const file = `${join(dirname(path), from ?? '')}.d.ts`
    if (all) imports.set(all, [file, '*'])
    for (const each of names?.split(',') ?? []) {
      const [name = '', local = name] = each.trim().split(' as ')
      imports.set(local, [file, name])
    }
  }
  return { types: new Parser(path, text.match(TOKENS) ?? []).types, imports }
}

/** Parses the interfaces and type aliases of a file. Other declarations are skipped. */
class Parser {
  readonly types = new Map<string, Type>()
  #at = 0

  constructor(
    readonly file: string,
    readonly tokens: readonly string[],
  ) {
    this.#statements([])
  }

  #next = () => this.tokens[this.#at++] ?? ''
  #takes = (token: string) => this.tokens[this.#at] === token && this.#next() === token

  #statements(within: readonly string[]): void {
    while (this.#at < this.tokens.length && !this.#takes('}')) {
      const word = this.#next()
      if (word === 'module') {
        this.#next()
        this.#next()
        this.#statements(within)
      } else if (word === 'interface') this.#interface(within)
      else if (word === 'type') this.#alias(within)
      else if (word === 'namespace') {
        const name = this.#next()
        this.#next()
        this.#statements([...within, name])
      } else if (word === '{') this.#skipBlock()
    }
  }

  #interface(within: readonly string[]): void {
    const name = [...within, this.#next()].join('.')
    const bases: Type[] = []
    if (this.#takes('<')) while (!this.#takes('>')) this.#next()
    if (this.#takes('extends')) {
      do {
        bases.push(this.#single(within))
      } while (this.#takes(','))
    }
    this.#next()
    // Several declarations of a namespace can be in a file, but an interface has one.
    this.types.set(name, { ...this.#object(within), bases })
  }

  #alias(within: readonly string[]): void {
    const name = [...within, this.#next()].join('.')
    if (!this.#takes('=')) return
    this.types.set(name, this.#type(within))
  }

  /** Parses the members of an object after its brace. */
  #object(within: readonly string[]): ObjectType {
    const fields = new Map<string, { optional: boolean; type: Type }>()
    let rest: Type | undefined
    while (!this.#takes('}')) {
      if (this.#takes('[')) {
        while (!this.#takes(']')) this.#next()
        this.#next()
        rest = this.#type(within)
      } else {
        const name = this.#next().replaceAll("'", '')
        const optional = this.#takes('?')
        if (this.#takes(':')) fields.set(name, { optional, type: this.#type(within) })
        else while (!this.#takes(';')) this.#next()
      }
      this.#takes(';')
    }
    return { is: 'object', fields, rest, bases: [] }
  }

  #type(within: readonly string[]): Type {
    const of: Type[] = []
    this.#takes('|')
    do {
      of.push(this.#single(within))
    } while (this.#takes('|'))
    return of.length === 1 && of[0] ? of[0] : { is: 'union', of }
  }

  #single(within: readonly string[]): Type {
    const token = this.#next()
    if (token === '{') return this.#object(within)
    if (token.startsWith("'")) return { is: 'literal', value: token.slice(1, -1) }
    if (/^-?\d/.test(token)) return { is: 'literal', value: Number(token) }
    if (token === 'true' || token === 'false') return { is: 'literal', value: token === 'true' }
    // A field that is void is absent, such as `deleted` of an object that was not deleted.
    if (token === 'void') return { is: 'literal', value: undefined }
    if (Object.hasOwn(PRIMITIVES, token)) return { is: PRIMITIVES[token as keyof typeof PRIMITIVES] }
    const args: Type[] = []
    if (this.#takes('<')) {
      do {
        args.push(this.#type(within))
      } while (this.#takes(','))
      this.#next()
    }
    // `string & Record<never, never>` is any string.
    if (this.#takes('&')) return this.#single(within)
    return { is: 'name', name: token, args, at: { file: this.file, within } }
  }

  #skipBlock(): void {
    for (let depth = 1; depth > 0 && this.#at < this.tokens.length; ) {
      const token = this.#next()
      if (token === '{') depth += 1
      if (token === '}') depth -= 1
    }
  }
}

/** The declared types of an SDK. */
export type Declarations = {
  /** Finds the type of a name. @throws Error if it is not declared */
  resolveName(name: Extract<Type, { is: 'name' }>): Type
  /** Returns the types whose field `object` has a value: `customer` is a Customer or a DeletedCustomer. */
  typesNamed(object: string): readonly Type[]
}

/** Reads the declarations of an SDK. @param folder - the folder of its package */
export const declarationsOf = (folder: string): Declarations =>
  existsSync(join(folder, 'types')) ? inNamespace(join(folder, 'types')) : inModules(join(folder, 'esm'))

/** Reads the declarations of versions before 22: all files declare types in one namespace. */
function inNamespace(folder: string): Declarations {
  const types = new Map<string, Type>()
  for (const file of declarationFiles(folder)) {
    if (file.endsWith('Resource.d.ts')) continue
    for (const [name, type] of parse(file).types) types.set(name, type)
  }
  const byObject = new Map<unknown, Type[]>()
  for (const type of types.values()) {
    const object = type.is === 'object' ? type.fields.get('object')?.type : undefined
    if (object?.is === 'literal') byObject.set(object.value, [...(byObject.get(object.value) ?? []), type])
  }
  return {
    resolveName: ({ name, at }) => {
      const type = typeWithin(types, name, at)
      if (!type) throw new Error(`${name} is not declared in ${folder}`)
      return type
    },
    typesNamed: (object) => byObject.get(object) ?? [],
  }
}

/** Reads the declarations of versions from 22: each file is a module. */
function inModules(folder: string): Declarations {
  const files = new Map<string, File>()
  /** Reads a file of declarations. Each is read once. */
  const fileOf = (path: string): File => {
    const known = files.get(path) ?? parse(path)
    files.set(path, known)
    return known
  }
  const resolveName: Declarations['resolveName'] = ({ name, at }) => {
    const { types, imports } = fileOf(at.file)
    const type = typeWithin(types, name, at)
    if (type) return type
    const [first = '', ...others] = name.split('.')
    const [file, imported] = imports.get(first) ?? []
    if (file === undefined || imported === undefined) throw new Error(`${name} is not declared in ${at.file}`)
    const path = imported === '*' ? others : [imported, ...others]
    return resolveName({ is: 'name', name: path.join('.'), args: [], at: { file, within: [] } })
  }
  let found: ReadonlyMap<string, readonly Type[]> | undefined
  return {
    resolveName,
    typesNamed: (object) => {
      found ??= objectsIn(join(folder, 'resources'))
      return found.get(object) ?? []
    },
  }
}

/** Finds the type of a name in a file: the one declared in the nearest of the namespaces around it. */
function typeWithin(types: ReadonlyMap<string, Type>, name: string, { within }: Scope): Type | undefined {
  for (let depth = within.length; depth >= 0; depth -= 1) {
    const found = types.get([...within.slice(0, depth), name].join('.'))
    if (found) return found
  }
  return undefined
}

/** Lists the files of declarations in a folder, without those of the second API. */
const declarationFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.d.ts') && !name.startsWith('V2'))
    .map((name) => join(folder, name))

function objectsIn(folder: string): ReadonlyMap<string, readonly Type[]> {
  const byName = new Map<string, Type[]>()
  for (const file of declarationFiles(folder)) {
    for (const declared of readFileSync(file, 'utf8').split(/^export /m)) {
      const [, name] = /^interface (\w+) /.exec(declared) ?? []
      const [, object] = /^ {4}object: '([^']+)';$/m.exec(declared) ?? []
      if (name === undefined || object === undefined) continue
      const type: Type = { is: 'name', name, args: [], at: { file, within: [] } }
      byName.set(object, [...(byName.get(object) ?? []), type])
    }
  }
  return byName
}
