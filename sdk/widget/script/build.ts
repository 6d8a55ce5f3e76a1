// The script that a page loads: one file, with the client of the sdk in it.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

/** Bytes of the script as it is sent, so that a page can have it without a second thought. */
const MOST_BYTES = 18 * 1_024

const folder = join(import.meta.dirname, '..')
const built = await build({
  root: folder,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  resolve: { conditions: ['@amodal/source', 'module', 'browser'] },
  build: {
    outDir: 'built',
    target: 'es2023',
    minify: true,
    reportCompressedSize: false,
    lib: {
      entry: join(folder, 'src/script.ts'),
      name: 'amodalChat',
      formats: ['iife'],
      fileName: () => 'amodal-chat.js',
    },
  },
})
const [bundle] = Array.isArray(built) ? built : []
const code = bundle?.output[0].code ?? ''
const bytes = gzipSync(code, { level: 9 }).length
process.stdout.write(`amodal-chat.js: ${code.length} bytes, ${bytes} compressed\n`)
if (code === '' || bytes > MOST_BYTES)
  throw new Error(`amodal-chat.js has ${bytes} bytes compressed, and may have ${MOST_BYTES}`)
// For bundlers and type checkers: importing it defines the element, and exports nothing.
await writeFile(join(folder, 'built/amodal-chat.d.ts'), 'export {}\n')
