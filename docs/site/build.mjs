/**
 * Builds the site of the documentation: `npm run docs`, with `--serve` to look at it. The pages are
 * those of the clone; the reference of the API is made by TypeDoc from the docstrings.
 */
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Application } from 'typedoc'
import { build, serve } from 'vitepress'
import { deadLinks } from './check-links.mjs'
import { copyPages } from './pages.mjs'

/** The clone: this file runs from a copy beside the packages that it needs. */
const root = process.argv[2] ?? process.cwd()
const site = join(root, '.tools', 'site')
const source = join(site, 'source')

/** Packages by the folder of their reference, with what people import of them. */
const PACKAGES = {
  sdk: ['sdk/src/index.ts', 'sdk/src/client/index.ts', 'sdk/src/testing/index.ts'],
  presets: ['presets/src/index.ts'],
  react: ['sdk/react/src/index.ts'],
}

/** @param {string} name @param {readonly string[]} entryPoints */
async function writeApi(name, entryPoints) {
  const app = await Application.bootstrapWithPlugins({
    name: `@amodal/${name}`,
    entryPoints: entryPoints.map((file) => join(root, file)),
    tsconfig: join(root, 'tsconfig.json'),
    compilerOptions: { customConditions: ['@amodal/source'] },
    plugin: ['typedoc-plugin-markdown'],
    outputs: [{ name: 'markdown', path: join(source, 'api', name) }],
    readme: 'none',
    entryFileName: 'index',
    hidePageHeader: true,
    useCodeBlocks: true,
    parametersFormat: 'table',
    pageTitleTemplates: {
      index: ({ projectName }) => projectName,
      module: ({ name: door }) => `@amodal/${name}${door === 'index' ? '' : `/${door}`}`,
      member: ({ name: member }) => member,
    },
    disableSources: true,
    excludePrivate: true,
    excludeInternal: true,
    skipErrorChecking: true,
    logLevel: 'Error',
  })
  const project = await app.convert()
  if (!project) throw new Error(`TypeDoc cannot read @amodal/${name}`)
  await app.generateOutputs(project)
}

const pages = copyPages(root, source)
for (const [name, entryPoints] of Object.entries(PACKAGES)) await writeApi(name, entryPoints)
copyFileSync(join(import.meta.dirname, 'api.md'), join(source, 'api/index.md'))
const api = readdirSync(join(source, 'api'), { recursive: true, encoding: 'utf8' })
const all = [...pages, ...api.filter((file) => file.endsWith('.md')).map((file) => `api/${file}`)]
copyFileSync(join(import.meta.dirname, 'home.md'), join(source, 'index.md'))
mkdirSync(join(source, 'public'))
copyFileSync(join(root, 'plugins/studio/ui/icon.svg'), join(source, 'public/icon.svg'))

const outDir = join(site, 'dist')
// VitePress reads its configuration from a folder
const folder = join(source, '.vitepress')
cpSync(join(import.meta.dirname, 'theme'), join(folder, 'theme'), { recursive: true })
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
writeFileSync(
  join(folder, 'config.mjs'),
  `import { siteConfig } from ${JSON.stringify(join(import.meta.dirname, 'config.mjs'))}
export default siteConfig(${JSON.stringify({ source, outDir, pages: all, version })})
`,
)
await build(source)
const dead = deadLinks(outDir)
if (dead.length > 0) throw new Error(`links that lead nowhere:\n${dead.join('\n')}`)
process.stdout.write(`${all.length} pages: ${outDir}\n`)
if (process.argv.includes('--serve')) await serve({ root: source, port: 4173 })
