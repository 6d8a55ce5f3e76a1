/** In the place of something that this caller is not shown. */
export const WITHHELD_TEXT = 'not shown'
