/** A syntax error in JSON and its position; lines and columns count from 1. */
export class JsonMistake extends Error {
  readonly line: number
  readonly column: number

  constructor(text: string, place: number, message: string) {
    super(message)
    const before = text.slice(0, place).split('\n')
    this.line = before.length
    this.column = (before.at(-1) ?? '').length + 1
  }

  /** `shop.json:3:7: expected …` */
  in(file: string): string {
    return `${file}:${this.line}:${this.column}: ${this.message}`
  }
}

const MAX_DEPTH = 100
const WORDS: ReadonlyMap<string, unknown> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])
const STRING_END = /["\\]/g
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const BLANK = /[ \t\r\n]*/y
const BYTE_ORDER_MARK = '\ufeff'

/**
 * Parses JSON written by hand. Unlike JSON.parse it reports the position of an error and refuses duplicate names.
 * @throws JsonMistake
 * Source: RFC 8259; paytwin: a name may occur once in an object.
 */
export const parseJsonText = (text: string): unknown => new Reader(text).read()

class Reader {
  readonly #text: string
  #place = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
    if (text.startsWith(BYTE_ORDER_MARK)) this.#place = 1
  }

  read(): unknown {
    const value = this.#value()
    this.#skipBlank()
    if (this.#place < this.#text.length) throw this.#mistake('expected the end of the file')
    return value
  }

  #value(): unknown {
    this.#skipBlank()
    switch (this.#next) {
      case '{':
        return this.#nested(() => this.#object())
      case '[':
        return this.#nested(() => this.#array())
      case '"':
        return this.#string('a value')
      default:
        return this.#scalar()
    }
  }

  #object(): object {
    const members = new Map<string, unknown>()
    this.#sequence('}', () => {
      const start = this.#place
      const name = this.#string('a name in double quotes')
      if (members.has(name)) throw this.#mistake(`the name '${name}' occurs twice`, start)
      this.#skipBlank()
      if (!this.#take(':')) throw this.#mistake("expected ':'")
      members.set(name, this.#value())
    })
    // fromEntries defines own properties for every name, __proto__ included.
    return Object.fromEntries(members)
  }

  #array(): unknown[] {
    const entries: unknown[] = []
    this.#sequence(']', () => entries.push(this.#value()))
    return entries
  }

  /** Reads the elements between a bracket and its counterpart, separated by commas. */
  #sequence(end: string, readOne: () => void): void {
    this.#place += 1
    this.#skipBlank()
    if (this.#take(end)) return
    for (;;) {
      this.#skipBlank()
      readOne()
      this.#skipBlank()
      if (this.#take(end)) return
      if (!this.#take(',')) throw this.#mistake(`expected ',' or '${end}'`)
      this.#skipBlank()
      if (this.#next === end) throw this.#mistake(`expected no ',' before '${end}'`, this.#lastComma())
    }
  }

  #string(expected: string): string {
    const start = this.#place
    if (this.#next !== '"') throw this.#mistake(`expected ${expected}`)
    this.#place = this.#endOfString(start)
    try {
      return JSON.parse(this.#text.slice(start, this.#place))
    } catch {
      throw this.#mistake('this string has an unescaped control character or an invalid escape', start)
    }
  }

  /**
   * Returns the place after the string that starts at a place. A single pattern for a whole string would overflow the
   * stack of the regular expression engine on a string with many escapes.
   */
  #endOfString(start: number): number {
    STRING_END.lastIndex = start + 1
    for (let found = STRING_END.exec(this.#text); found; found = STRING_END.exec(this.#text)) {
      if (found[0] === '"') return found.index + 1
      STRING_END.lastIndex = found.index + 2
    }
    throw this.#mistake('this string is not terminated', start)
  }

  #scalar(): unknown {
    const match = this.#match(SCALAR)
    if (match === undefined) throw this.#mistake('expected a value')
    return WORDS.has(match) ? WORDS.get(match) : Number(match)
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw this.#mistake(`expected at most ${MAX_DEPTH} levels`)
    const value = read()
    this.#depth -= 1
    return value
  }

  get #next(): string | undefined {
    return this.#text[this.#place]
  }

  #take(character: string): boolean {
    if (this.#next !== character) return false
    this.#place += 1
    return true
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#place
    const match = pattern.exec(this.#text)?.[0]
    if (match !== undefined) this.#place += match.length
    return match
  }

  #skipBlank(): void {
    this.#match(BLANK)
  }

  #lastComma = (): number => this.#text.lastIndexOf(',', this.#place)

  #mistake(message: string, place = this.#place): JsonMistake {
    const isOver = place >= this.#text.length
    return new JsonMistake(this.#text, place, isOver ? `${message}, but the file ends here` : message)
  }
}
