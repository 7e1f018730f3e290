// The pages work without this script. It spares clicks where it runs.
import './live.js'

// Choosing a merchant shows it, without the button.
const chooser = document.querySelector('form.merchant select')
chooser?.addEventListener('change', () => chooser.form.requestSubmit())

// The buttons of a form work once, until the next page is shown.
document.addEventListener('submit', ({ target, submitter }) => {
  if (target.method !== 'post' || !submitter) return
  target.setAttribute('aria-busy', 'true')
  // The value of a disabled button would not be sent.
  setTimeout(() => {
    for (const button of target.querySelectorAll('button')) button.disabled = true
  })
})

// The slider over the history of an object shows the chosen step, without the button. The keyboard stays on it.
const slider = document.querySelector('.slider input')
slider?.addEventListener('change', () => {
  sessionStorage.setItem('slider', location.pathname)
  slider.form.requestSubmit()
})
if (slider && sessionStorage.getItem('slider') === location.pathname) slider.focus({ preventScroll: true })
sessionStorage.removeItem('slider')

// On small screens, the navigation scrolls: the current section is shown. scrollIntoView would also move the keyboard's place there.
const current = document.querySelector('.sections [aria-current]')
if (current) {
  const sections = current.closest('.sections')
  const { left, width } = current.getBoundingClientRect()
  sections.scrollLeft += left + width / 2 - sections.clientWidth / 2
}

// A chosen file is put into the field for pasted text.
for (const label of document.querySelectorAll('label.upload')) {
  const file = label.querySelector('input')
  label.hidden = false
  file.addEventListener('change', async () => {
    file.form.elements.content.value = (await file.files[0]?.text()) ?? ''
  })
}

// A secret is not in a page that the browser keeps.
addEventListener('pagehide', () => {
  for (const secret of document.querySelectorAll('[data-secret]')) secret.remove()
})

// Texts can be copied where the browser allows it.
for (const button of document.querySelectorAll('[data-copies]')) {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent)
    button.textContent = 'Copied'
  })
}
