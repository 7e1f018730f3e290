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
 * @throws JsonSyntaxError
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

/** Parses a file of hand-written JSON. @throws JsonSyntaxError, also for another encoding than UTF-8 */
export const parseJsonFile = (content: Buffer): unknown => parseJsonText(decodeUtf8(content))

/** Decodes a file. Nothing is replaced, because the file would be read with other texts than its author wrote. */
function decodeUtf8(content: Buffer): string {
  const text = content.toString('utf8')
  if (Buffer.from(text).equals(content)) return text
  if (UTF16_MARKS.includes(content.toString('latin1', 0, 2)))
    throw new JsonSyntaxError(placeAt(0, 0), 'this file is UTF-16; save it as UTF-8')
  throw new JsonSyntaxError(placeOfInvalid(content, text), 'this is not UTF-8')
}

/** The byte order marks of UTF-16. */
const UTF16_MARKS: readonly string[] = ['\xff\xfe', '\xfe\xff']

/** The character that a decoder puts in place of invalid bytes. A file can also contain it. */
const REPLACEMENT = '\ufffd'

/** Finds the first invalid byte of a file. @param text - the file as decoded with replacements */
function placeOfInvalid(content: Buffer, text: string): Place {
  const replacement = Buffer.from(REPLACEMENT)
  let [bytes, characters] = [0, 0]
  for (const valid of text.split(REPLACEMENT)) {
    bytes += Buffer.byteLength(valid)
    characters += valid.length
    if (!content.subarray(bytes, bytes + replacement.length).equals(replacement)) break
    bytes += replacement.length
    characters += REPLACEMENT.length
  }
  const lines = text
    .slice(0, characters)
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
  return placeAt(lines.length - 1, lines.at(-1)?.length ?? 0)
}

const placeAt = (line: number, column: number): Place => ({ line: line + 1, column: column + 1 })
