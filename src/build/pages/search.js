/*
 * Adds a search box to the header. The build writes ENTRIES in front: for each heading of all pages its text, its path, the title
 * of its page, and the names of the fields below it.
 */

/** The maximum number of results. */
const LIMIT = 12

const box = document.createElement('input')
box.type = 'search'
box.placeholder = 'Search'
box.setAttribute('aria-label', 'Search routes, objects, fields and errors')
const list = document.createElement('ul')
const search = document.createElement('search')
search.append(box, list)
document.querySelector('header > a').after(search)

/** Finds the entries that contain all words. Those with the words in their titles come first. */
function find(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const has = (content) => words.every((word) => content.toLowerCase().includes(word))
  const inTitle = ENTRIES.filter(([title]) => has(title))
  const others = ENTRIES.filter((entry) => !inTitle.includes(entry) && has(entry.join(' ')))
  return [...inTitle, ...others].slice(0, LIMIT)
}

function show() {
  const found = find(box.value)
  list.replaceChildren(
    ...found.map(([title, path, page]) => {
      const link = document.createElement('a')
      link.href = path
      const where = document.createElement('span')
      where.textContent = page
      link.append(title, where)
      const item = document.createElement('li')
      item.append(link)
      return item
    }),
  )
  if (box.value.trim() !== '' && found.length === 0) list.textContent = 'Nothing found'
}

box.addEventListener('input', show)
search.addEventListener('keydown', (event) => {
  const links = [...list.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement)
  if (event.key === 'Enter' && at === -1) links[0]?.click()
  else if (event.key === 'ArrowDown') links[Math.min(at + 1, links.length - 1)]?.focus()
  else if (event.key === 'ArrowUp') (links[at - 1] ?? box).focus()
  else if (event.key === 'Escape') clear()
  else return
  if (event.key.startsWith('Arrow')) event.preventDefault()
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === box || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  box.focus()
})

function clear() {
  box.value = ''
  show()
  box.focus()
}
list.addEventListener('click', () => {
  box.value = ''
  show()
})
