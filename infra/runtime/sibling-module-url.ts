/**
 * The URL of a thread's or a process's entry module, which stands beside the module that starts it and is compiled or
 * not like that one.
 *
 * @param url `import.meta.url` of the starting module.
 * @param name the entry module's path from there, without the extension.
 */
export function siblingModuleUrl(url: string, name: string): URL {
  return new URL(`./${name}.${url.endsWith('.ts') ? 'ts' : 'js'}`, url);
}
