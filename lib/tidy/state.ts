// State: Next bundles its own copies of our modules, so a module's variable exists several times in one process. State that changes belongs
// in `processSingleton(name, create)`, in a function or in a database.

import ts from "typescript";
import { isProductCode, lineOf, type Problem, parse, type Rule, type Tree, walk } from "./tree";

const cure =
  "Next bundles several copies of a module: create it by processSingleton(name, create) of lib/base, or inside the function that uses it.";

// Objects of these classes do not change on their own; a Map or Set is a constant if it is filled when created and never changed.
const constants = new Set(["Map", "Set", "RegExp", "URL", "TextEncoder", "TextDecoder", "Date", "Uint8Array", "Error"]);
const changes = new Set(["set", "add", "delete", "clear", "push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill"]);

export const noModuleState: Rule = (tree) => [...tree.keys()].filter(isProductCode).flatMap((path) => problemsOf(tree, path));

function problemsOf(tree: Tree, file: string): Problem[] {
  const source = parse(tree, file);
  const problems: Problem[] = [];
  const report = (node: ts.Node, what: string) => problems.push({ file, line: lineOf(source, node), message: `${what}. ${cure}` });
  const changed = changedNames(source);
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement) || isDeclared(statement)) continue;
    const isConst = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
    for (const declaration of statement.declarationList.declarations) {
      const name = declaration.name.getText(source);
      if (!isConst) report(declaration, `${name} is a module variable that can change`);
      else if (buildsState(declaration.initializer)) report(declaration, `${name} holds state in a module`);
      else if (isContainer(declaration.initializer) && changed.has(name)) report(declaration, `${name} is changed after it was made`);
    }
  }
  walk(source, (node) => {
    if (!ts.isPropertyDeclaration(node)) return;
    const has = (kind: ts.SyntaxKind) => node.modifiers?.some((modifier) => modifier.kind === kind) ?? false;
    if (has(ts.SyntaxKind.StaticKeyword) && !has(ts.SyntaxKind.ReadonlyKeyword)) report(node, "a static field can change");
  });
  return problems;
}

const isDeclared = (statement: ts.VariableStatement) =>
  statement.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.DeclareKeyword) ?? false;

function bare(expression: ts.Expression | undefined): ts.Expression | undefined {
  const wrapped =
    expression && (ts.isAsExpression(expression) || ts.isSatisfiesExpression(expression) || ts.isParenthesizedExpression(expression));
  return wrapped ? bare(expression.expression) : expression;
}

/** An object with state: a pool, a client, a counter, or a Map that starts empty. */
function buildsState(initializer: ts.Expression | undefined): boolean {
  const made = bare(initializer);
  if (!made || !ts.isNewExpression(made)) return false;
  const name = made.expression.getText();
  if (name.startsWith("Intl.")) return false;
  if (!constants.has(name)) return true;
  return (name === "Map" || name === "Set") && (made.arguments ?? []).length === 0;
}

function isContainer(initializer: ts.Expression | undefined): boolean {
  const made = bare(initializer);
  return made !== undefined && (ts.isNewExpression(made) || ts.isArrayLiteralExpression(made) || ts.isObjectLiteralExpression(made));
}

/** Names whose content the file changes: `name.push(…)`, `name[key] = …`, `name.field += …`, `delete name[key]`. */
function changedNames(source: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  const owner = (node: ts.Expression) => {
    if ((ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) && ts.isIdentifier(node.expression))
      names.add(node.expression.text);
  };
  walk(source, (node) => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && changes.has(node.expression.name.text))
      owner(node.expression);
    if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) owner(node.left);
    if (ts.isDeleteExpression(node)) owner(node.expression);
    if (ts.isPostfixUnaryExpression(node) || ts.isPrefixUnaryExpression(node)) {
      if (node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken) owner(node.operand);
    }
  });
  return names;
}

const isAssignment = (kind: ts.SyntaxKind) => kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
