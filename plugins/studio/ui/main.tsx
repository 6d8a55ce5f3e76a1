import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { tabStorage } from './model/tab-storage.ts'

// The link that the server prints has its token where no request carries it. It leaves the address,
// and so the history.
const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1]
if (token !== undefined) {
  tabStorage.storeCredentials({ key: token, scope: '' })
  history.replaceState(null, '', location.pathname)
}

const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)
