import { join } from 'node:path'
import type { InlineConfig } from 'vite'

/** Where the page is built to: the packages that are published have it, so that nobody builds. */
export const BUILT = join(import.meta.dirname, '../built')

/** The same sources give the same bytes. */
export const config: InlineConfig = {
  root: import.meta.dirname,
  base: '/studio/',
  configFile: false,
  envDir: false,
  publicDir: false,
  resolve: { conditions: ['@amodal/source', 'module', 'browser', 'development|production'] },
  logLevel: 'warn',
  mode: 'production',
  build: {
    emptyOutDir: false,
    assetsDir: '',
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000, // KB: the editor, which is loaded with the first edit
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    rolldownOptions: {
      // libraries say in this way that they are for browsers, as all of this is
      onLog(level, log, report) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log)
      },
      output: {
        entryFileNames: 'studio-[hash].js',
        chunkFileNames: '[name]-[hash].js',
        assetFileNames: '[name]-[hash][extname]',
      },
    },
  },
}
