/** Reports whether a glob matches a text; a star matches any characters. Takes linear time in both. */
export const matchesGlob = (glob: string, text: string): boolean => matcherOf(glob)(text)

/** Returns a function that reports whether a glob matches a text: it takes the glob apart once for many texts. */
export function matcherOf(glob: string): (text: string) => boolean {
  const [head = '', ...parts] = glob.split('*')
  const tail = parts.pop()
  if (tail === undefined) return (text) => text === head
  const length = glob.length - parts.length - 1
  return (text) => {
    if (text.length < length || !text.startsWith(head) || !text.endsWith(tail)) return false
    const end = text.length - tail.length
    let place = head.length
    for (const part of parts) {
      const found = text.indexOf(part, place)
      if (found === -1 || found + part.length > end) return false
      place = found + part.length
    }
    return true
  }
}
