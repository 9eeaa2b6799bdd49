// State: Next bundles its own copies of our modules, so a module's variable exists several times in one process. State that changes belongs
// in `processSingleton(name, create)`, in a function or in a database. Biome's formatting puts a module's own variables at the start of a
// line.

import { isProductCode, type Problem, type Rule } from "./tree";

const cure =
  "Next bundles several copies of a module: create it by processSingleton(name, create) of lib/base, or inside the function that uses it.";

// Objects of these classes do not change on their own; a Map or Set is a constant if it is filled when created and never changed.
const constants = /^(Map|Set|RegExp|URL|TextEncoder|TextDecoder|Date|Uint8Array|Error|Intl\.\w+)$/;
const variable = /^(?:export )?(?:let|var) (\w+|[[{].*?[\]}])/gm;
const staticField = /(?:^ +|\{ )(?:(?:public|private|protected) )?static (?!readonly )(?:#?\w+)(?=[:;]| =)/gm;
const built = /^(?:export )?const (\w+)(?:: [^=]+)? =\s+\(*new ([\w.]+)(?:<.*>)?\((\)?)/gm;
const container = /^(?:export )?const (\w+)(?:: .+?)? =\s+\(*(?:new |\[|\{)/gm;

/** A template may hold an example, with its own module at the start of a line. */
const withoutTemplates = (text: string): string => text.replace(/`(?:\\.|[^`\\])*`/g, (template) => template.replace(/[^\n]/g, " "));

/** The content of `name` is changed: `name.push(…)`, `name[key] = …`, `name.field += …`, `delete name[key]`. */
function changesOf(name: string): RegExp {
  const calls = "\\.(?:set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill)\\(";
  const part = "(?:\\.\\w+|\\[[^\\]]+\\])";
  const assigned = `${part}(?: [-+*/%&|^?<>]{0,3}= |\\+\\+|--)`;
  return new RegExp(`(?<![.\\w])${name}(?:${calls}|${assigned})|(?:delete |\\+\\+|--)${name}${part}`);
}

export const noModuleState: Rule = (tree) =>
  [...tree].filter(([path]) => isProductCode(path)).flatMap(([path, text]) => problemsOf(path, withoutTemplates(text)));

function problemsOf(file: string, text: string): Problem[] {
  const problems: Problem[] = [];
  const report = (at: number, what: string) =>
    problems.push({ file, line: text.slice(0, at).split("\n").length, message: `${what}. ${cure}` });
  for (const { 1: name, index } of text.matchAll(variable)) report(index, `${name} is a module variable that can change`);
  for (const { index } of text.matchAll(staticField)) report(index, "a static field can change");
  for (const { 1: name, 2: type = "", 3: isEmpty, index } of text.matchAll(built))
    if (!constants.test(type) || (/^(Map|Set)$/.test(type) && isEmpty)) report(index, `${name} holds state in a module`);
  for (const { 1: name = "", index } of text.matchAll(container))
    if (changesOf(name).test(text)) report(index, `${name} is changed after it was made`);
  return problems;
}
