// Its own types speak of a default export; what it exports is the function.
declare module 'postgres-date' {
  function parseDate(text: string): Date | number | null
  export = parseDate
}
