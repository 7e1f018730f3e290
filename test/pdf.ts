/** What a test reads from a PDF. */
export type ReadPdf = {
  /** The texts of each page, in the order in which they are drawn. */
  readonly pages: readonly (readonly string[])[]
  readonly title: string
  readonly links: readonly string[]
}

/** Reads a PDF with uncompressed pages, through its table of objects, as a reader of PDFs does. A wrong table fails the test. */
export function readPdf(bytes: Uint8Array): ReadPdf {
  const file = Buffer.from(bytes).toString('latin1')
  const objects = objectsOf(file)
  const object = (reference: string | undefined): string => {
    const found = objects.get(Number(reference))
    if (found === undefined) throw new Error(`there is no object ${reference}`)
    return found
  }
  const trailer = file.slice(file.lastIndexOf('trailer'))
  const root = object(/\/Root (\d+) 0 R/.exec(trailer)?.[1])
  const tree = object(/\/Pages (\d+) 0 R/.exec(root)?.[1])
  const kids = [...(/\/Kids \[([^\]]*)\]/.exec(tree)?.[1]?.matchAll(/(\d+) 0 R/g) ?? [])].map(([, kid]) =>
    object(kid),
  )
  if (Number(/\/Count (\d+)/.exec(tree)?.[1]) !== kids.length) throw new Error('the count of pages is wrong')
  return {
    pages: kids.map((page) => textsIn(streamOf(object(/\/Contents (\d+) 0 R/.exec(page)?.[1])))),
    title: titleIn(object(/\/Info (\d+) 0 R/.exec(trailer)?.[1])),
    links: [...file.matchAll(/\/URI \(([^)]*)\)/g)].map(([, url = '']) => url),
  }
}

function objectsOf(file: string): Map<number, string> {
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1])
  const table = /^xref\n0 (\d+)\n((?:\d{10} \d{5} [nf] \n)+)trailer/.exec(file.slice(start))
  if (!table) throw new Error('startxref does not lead to a table')
  const places = [...(table[2] ?? '').matchAll(/(\d{10}) \d{5} n/g)].map(([, place]) => Number(place))
  if (places.length !== Number(table[1]) - 1) throw new Error('the table has another size than it says')
  return new Map(
    places.map((place, index) => {
      const [whole, number, body = ''] = /^(\d+) 0 obj\n([\s\S]*?)\nendobj\n/.exec(file.slice(place)) ?? []
      if (whole === undefined || Number(number) !== index + 1)
        throw new Error(`object ${index + 1} is not at ${place}`)
      return [index + 1, body]
    }),
  )
}

function streamOf(object: string): string {
  const [, length, content = ''] = /\/Length (\d+) >>\nstream\n([\s\S]*)\nendstream$/.exec(object) ?? []
  if (content.length !== Number(length)) throw new Error('the length of a stream is wrong')
  return content
}

const textsIn = (content: string): string[] =>
  [...content.matchAll(/\(((?:\\.|[^\\)])*)\) Tj/g)].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'))

function titleIn(info: string): string {
  const hex = /\/Title <FEFF([0-9a-f]*)>/.exec(info)?.[1] ?? ''
  return String.fromCharCode(...(hex.match(/.{4}/g) ?? []).map((unit) => Number.parseInt(unit, 16)))
}
