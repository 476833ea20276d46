/**
 * The program of a thread or a process, in a file of its own beside the module that starts it, compiled or not as that
 * one is.
 *
 * @param url `import.meta.url` of the module.
 * @param name its path from there, without the extension.
 */
export function siblingModuleUrl(url: string, name: string): URL {
  return new URL(`./${name}.${url.endsWith('.ts') ? 'ts' : 'js'}`, url);
}
