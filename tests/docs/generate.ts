// Writes what is made from the code: parts of pages, and what plugins declare.
//
//     node tests/docs/generate.ts
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshPages } from './generated.ts'
import { ROOT } from './pages.ts'
import { writePluginFiles } from './plugins.ts'
import { freshReference } from './reference/index.ts'
import { freshSchemas } from './schemas.ts'

mkdirSync(join(ROOT, 'cli/schemas'), { recursive: true })
for (const [path, text] of freshSchemas()) writeFileSync(join(ROOT, path), text)
for (const [page, text] of freshPages()) writeFileSync(join(ROOT, page), text)
writePluginFiles()
mkdirSync(join(ROOT, 'docs/reference'), { recursive: true })
for (const [page, text] of await freshReference()) writeFileSync(join(ROOT, page), text)
