/** What a page says to people. */
export interface Page {
    readonly title: string;
    readonly text: string;
}
/**
 * A page as Markdown: headings, paragraphs, lists, tables, code, and links with whole addresses. What is hidden, scripts,
 * menus and footers are left out; where the page says which part of it is the matter (`main`, `article`), that is taken.
 * One pass over the tags: no page takes longer than its length.
 *
 * @param base of the page's own links
 */
export declare function markdownOf(html: string, base: string): Page;
