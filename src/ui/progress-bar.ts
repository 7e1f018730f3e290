/**
 * Draws a progress bar with the percentage.
 * @param share - 0 to 1
 * @param width - of the bar, in columns
 */
export function progressBar(share: number, width: number): string {
  const filled = Math.round(share * width)
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${Math.floor(share * 100)}%`
}
