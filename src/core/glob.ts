/** Reports whether a glob matches a text; a star matches any characters. Takes linear time in both. */
export function matchesGlob(glob: string, text: string): boolean {
  const [head = '', ...parts] = glob.split('*')
  const tail = parts.pop()
  if (tail === undefined) return head === text
  if (!text.startsWith(head) || !text.endsWith(tail) || text.length < head.length + tail.length) return false
  let place = head.length
  for (const part of parts) {
    const found = text.indexOf(part, place)
    if (found === -1 || found + part.length > text.length - tail.length) return false
    place = found + part.length
  }
  return true
}
