import type { Compiled } from './compiled.ts';
/**
 * Spares a start most of its lookups: Node asks the disk several times about every import of every file, and there are many
 * hundred. Below `root` a relative import is taken for the file it names, and a package name, which means the same for
 * all files of a folder, is looked up once for each folder. What is found is what Node would find; where that is a door of
 * a package that was compiled, everybody gets the compiled one, so that there is one of each package in the process.
 *
 * @param root address of a folder, with a slash at its end
 * @param compiled what stands there for the sources, and where their imports lead
 * @see https://nodejs.org/api/module.html#customization-hooks
 */
export declare function resolveQuickly(root: string, { doors, imports }?: Pick<Compiled, 'doors' | 'imports'>): void;
