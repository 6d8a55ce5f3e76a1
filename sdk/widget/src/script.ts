// What one script tag runs: it defines `<amodal-chat>`, and adds one that floats over the page
// where the page has none itself. Attributes of the tag after `data-` are those of the element.
import { defineAmodalChat } from './element.ts'

const script = document.currentScript
defineAmodalChat()

function mount(): void {
  if (!(script instanceof HTMLScriptElement) || script.dataset['mount'] === 'none') return
  if (document.querySelector('amodal-chat')) return
  const element = document.createElement('amodal-chat')
  element.setAttribute('url', new URL('.', script.src).href)
  for (const { name, value } of script.attributes)
    if (name.startsWith('data-')) element.setAttribute(name.slice(5), value)
  document.body.append(element)
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', mount)
else mount()
