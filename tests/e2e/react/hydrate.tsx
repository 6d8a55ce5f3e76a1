import { hydrateRoot } from 'react-dom/client'
import { ServerApp, type ServerAppProps } from './server-app.tsx'

const root = document.getElementById('root')
const props = document.getElementById('props')?.textContent ?? '{}'
if (root) hydrateRoot(root, <ServerApp {...(JSON.parse(props) as ServerAppProps)} />) // the test's
