/** Styles are bundled by Vite. */
declare module '*.css'
