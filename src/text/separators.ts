const [QUOTE, BACKSLASH, COMMA] = ['"', '\\', ','].map((character) => character.charCodeAt(0))
const [BRACKET, BRACKET_END, BRACE, BRACE_END] = ['[', ']', '{', '}'].map((each) => each.charCodeAt(0))

/**
 * Calls a function with each comma and bracket outside the strings of a JSON text, and its position, until it returns false. The
 * text is not parsed, so it can have any length and depth.
 */
export function eachSeparator(text: string, visit: (separator: string, at: number) => boolean): void {
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) isInString = !isInString
    else if (isInString) {
      if (character === BACKSLASH) at += 1
    } else if (
      character === COMMA ||
      character === BRACKET ||
      character === BRACKET_END ||
      character === BRACE ||
      character === BRACE_END
    ) {
      if (!visit(text.charAt(at), at)) return
    }
  }
}
