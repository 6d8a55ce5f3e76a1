import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digest } from './bundler.ts'

/** The document that shows a page, and the script that it loads first. */
export interface Frame {
  readonly path: string
  readonly html: string
  readonly scriptPath: string
  readonly script: string
}

/**
 * The page's own code arrives from the window around and runs from a `blob:`, so no address outside
 * is ever asked: neither for scripts nor for pictures, and no request can carry data away.
 */
export const FRAME_POLICY = [
  "default-src 'none'",
  "script-src 'self' blob:",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts',
].join('; ')

const BUILT = join(import.meta.dirname, '../built')

/** Reads what the build has written. */
export async function readFrame(): Promise<Frame> {
  const [script, styles] = await Promise.all([
    readFile(join(BUILT, 'frame.js'), 'utf8'),
    readFile(join(BUILT, 'frame-style.css'), 'utf8'),
  ])
  const scriptPath = `/pages-bundle/frame-${digest(script)}.js`
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page</title>
<style>${styles}</style>
</head>
<body>
<main id="page"></main>
<script src="${scriptPath}"></script>
</body>
</html>
`
  return { path: `/pages-bundle/frame-${digest(html)}.html`, html, scriptPath, script }
}
