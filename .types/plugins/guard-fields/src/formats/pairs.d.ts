import type { Place, Understood } from './understood.ts';
/** Lines of `name: value` or `name = value`: settings, heads of messages, cards of addresses. */
export declare function readLines(text: string, { whole }: Place): Understood | undefined;
/** Pairs in one line: a query, a form, cookies, fields of a log. */
export declare function readInline(text: string, { whole }: Place): Understood | undefined;
/** YAML of objects, and whatever it also reads: objects of JavaScript and Python. */
export declare function readYaml(text: string, { whole }: Place): Understood | undefined;
