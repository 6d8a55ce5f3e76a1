import { ok } from '@amodal/sdk'
import type { PartStarter } from '@amodal/plugin-repo-files/tokens'

/** `amodal add page NAME`. */
export const pageStarter: PartStarter = {
  summary: 'a page of the studio, in React, without a build',
  part: ({ name }) =>
    ok({
      files: [{ path: `pages/${name}.tsx`, text: PAGE }],
      next: [
        `See it: amodal dev, then /pages/${name}`,
        'Show a store: add its name to `stores`, and read it with `useStoreList`: `amodal docs pages`',
      ],
    }),
}

const PAGE = `export const page = {
  description: 'What it shows, in a sentence',
  icon: 'file-text',
}

export default function Page() {
  const [count, setCount] = React.useState(0)
  return (
    <>
      <h1>A page of this agent</h1>
      <button onClick={() => setCount(count + 1)}>Clicked {count} times</button>
    </>
  )
}
`
