// The pages work without this script. It saves clicks.
import './live.js'

// Shows the merchant that is chosen with a pointer, without a click on the button. The arrow keys only go through the merchants.
const chooser = document.querySelector('form.merchant select')
let isPointed = false
chooser?.addEventListener('pointerdown', () => {
  isPointed = true
})
chooser?.addEventListener('keydown', () => {
  isPointed = false
})
chooser?.addEventListener('change', () => {
  if (isPointed) chooser.form.requestSubmit()
})

// The buttons of a form work once, until the next page is shown.
document.addEventListener('submit', ({ target, submitter }) => {
  if (target.method !== 'post' || !submitter) return
  target.setAttribute('aria-busy', 'true')
  // The value of a disabled button would not be sent.
  setTimeout(() => {
    for (const button of target.querySelectorAll('button')) button.disabled = true
  })
})

// Shows the chosen step of an object's history without a click on the button. The slider keeps the focus.
const slider = document.querySelector('.slider input')
slider?.addEventListener('change', () => {
  sessionStorage.setItem('slider', location.pathname)
  slider.form.requestSubmit()
})
if (slider && sessionStorage.getItem('slider') === location.pathname) slider.focus({ preventScroll: true })
sessionStorage.removeItem('slider')

// Scrolls the navigation to the current section on small screens. scrollIntoView would also move the start of the tab order.
const current = document.querySelector('.sections [aria-current]')
if (current) {
  const sections = current.closest('.sections')
  const { left, width } = current.getBoundingClientRect()
  sections.scrollLeft += left + width / 2 - sections.clientWidth / 2
}

// Puts the content of a chosen file into the field for pasted text.
for (const label of document.querySelectorAll('label.upload')) {
  const file = label.querySelector('input')
  label.hidden = false
  file.addEventListener('change', async () => {
    file.form.elements.content.value = (await file.files[0]?.text()) ?? ''
  })
}

// Keeps secrets out of the pages in the browser's cache.
addEventListener('pagehide', () => {
  for (const secret of document.querySelectorAll('[data-secret]')) secret.remove()
})

// Shows the button that copies a text, if the browser allows it.
for (const button of document.querySelectorAll('[data-copies]')) {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent)
    button.textContent = 'Copied'
  })
}
