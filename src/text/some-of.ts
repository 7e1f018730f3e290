/** Lists the first names, separated by commas, with an ellipsis for the others. */
export const someOf = (names: readonly string[], most: number): string =>
  `${names.slice(0, most).join(', ')}${names.length > most ? ', …' : ''}`
