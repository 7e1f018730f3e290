import { printParseErrorCode, visit } from 'jsonc-parser'

/** Why a text is not valid JSON, and where: lines and columns count from 1. */
export class JsonSyntaxError extends Error {
  readonly line: number
  readonly column: number

  constructor({ line, column }: Place, message: string) {
    super(message)
    this.line = line
    this.column = column
  }

  /** `shop.json:3:7: expected …` */
  in(file: string): string {
    return `${file}:${this.line}:${this.column}: ${this.message}`
  }
}

type Place = { readonly line: number; readonly column: number }

const MAX_DEPTH = 100

/** Messages by the parser's names of errors. */
const MESSAGES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not valid JSON',
  InvalidNumberFormat: 'this number is not valid JSON',
  UnexpectedEndOfNumber: 'this number is incomplete',
  PropertyNameExpected: 'expected a name in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: "expected ':'",
  CommaExpected: "expected ','",
  CloseBraceExpected: "expected '}'",
  CloseBracketExpected: "expected ']'",
  EndOfFileExpected: 'expected the end of the file',
  InvalidCommentToken: 'comments are not allowed',
  UnexpectedEndOfString: 'this string does not end on its line',
  InvalidUnicode: 'this string contains an invalid escape',
  InvalidEscapeCharacter: 'this string contains an invalid escape',
  InvalidCharacter: 'this string contains a control character that must be escaped',
}

/**
 * Parses hand-written JSON. Unlike JSON.parse, it reports the position of a mistake and refuses a name that an object
 * contains twice.
 * @throws JsonMistake
 */
export function parseJsonText(file: string): unknown {
  const text = file.replace(/^\ufeff/, '')
  /** The names of each object or array that is open; arrays have none. */
  const open: Set<string>[] = []
  let comma = { end: -1, place: placeAt(0, 0) }

  const enter = (_start: number, _length: number, line: number, column: number) => {
    open.push(new Set())
    if (open.length > MAX_DEPTH)
      throw new JsonSyntaxError(placeAt(line, column), `expected at most ${MAX_DEPTH} levels`)
  }
  const leave = () => {
    open.pop()
  }
  visit(
    text,
    {
      onObjectBegin: enter,
      onArrayBegin: enter,
      onObjectEnd: leave,
      onArrayEnd: leave,
      onObjectProperty(name, _start, _length, line, column) {
        const names = open.at(-1)
        if (names?.has(name))
          throw new JsonSyntaxError(placeAt(line, column), `the name '${name}' occurs twice`)
        names?.add(name)
      },
      onSeparator(character, start, _length, line, column) {
        if (character === ',') comma = { end: start + 1, place: placeAt(line, column) }
      },
      onError(code, start, _length, line, column) {
        const next = text[start]
        if ((next === '}' || next === ']') && text.slice(comma.end, start).trim() === '')
          throw new JsonSyntaxError(comma.place, `expected no ',' before '${next}'`)
        const message = MESSAGES[printParseErrorCode(code)] ?? printParseErrorCode(code)
        throw new JsonSyntaxError(
          placeAt(line, column),
          next === undefined ? `${message}, but the file ends here` : message,
        )
      },
    },
    { disallowComments: true },
  )
  return JSON.parse(text)
}

const placeAt = (line: number, column: number): Place => ({ line: line + 1, column: column + 1 })
