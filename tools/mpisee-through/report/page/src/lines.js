// Communicators as charts and lists show them: one by one, except that a group from one call site is one line.
import { count } from "./format.js";
import { Totals, totalsIn } from "./totals.js";

// A line is {name, title, index, members, totals, operations}; group: what the tool says about the group, or null for a
// single communicator; place: its place among the groups. Lines are in the order of the tree; a group stands at its first member.
export function linesOf({ communicators, json }) {
  const lines = [];
  const lineOfGroup = new Map();
  for (const one of communicators) {
    if (one.group === null) {
      const { name, totals, operations } = one;
      lines.push({ name, title: name, index: lines.length, members: [one], totals, operations, group: null });
      continue;
    }
    let line = lineOfGroup.get(one.group);
    if (!line) {
      line = emptyLine(json.groups[one.group], one.group, lines.length);
      lineOfGroup.set(one.group, line);
      lines.push(line);
    }
    line.members.push(one);
    line.totals.add(one.totals);
    for (const [operation, totals] of one.operations) totalsIn(line.operations, operation).add(totals);
  }
  return lines;
}

function emptyLine(group, place, index) {
  const many = count(group.communicators);
  return {
    name: group.name,
    title: `${group.maker}: ${many} communicators of ${group.size === 1 ? "1 rank" : `${count(group.size)} ranks`}`,
    index,
    place,
    members: [],
    totals: new Totals(),
    operations: new Map(),
    group,
  };
}

// The rows of a table: communicators below their parents, and members of a group below its line. A row is {one: the
// communicator, or null; line: the group's line, or null; depth; above: the parent's row, or null; hasInner}.
export function treeOf({ communicators, lines }) {
  const children = childrenOf(communicators, lines);
  const rows = [];
  const add = (one, line, above) => {
    const row = { one, line, depth: above ? above.depth + 1 : 0, above, hasInner: false };
    if (above) above.hasInner = true;
    rows.push(row);
    return row;
  };
  // Uses no recursion: a program may duplicate duplicates to any depth.
  const stack = [];
  const push = (list, above) => {
    for (const item of [...(list ?? [])].reverse()) stack.push({ item, above });
  };
  push(children.get(null), null);
  while (stack.length > 0) {
    const { item, above } = stack.pop();
    if (Array.isArray(item.members)) push(item.members, add(null, item, above));
    else push(children.get(item), add(item, null, above));
  }
  return rows;
}

// The children of each communicator, and of none: communicators and lines of groups. A group is placed below the
// nearest common ancestor of its members, after the child from which its first member descends.
function childrenOf(communicators, lines) {
  const children = new Map();
  for (const one of communicators) {
    if (!children.has(one.parent)) children.set(one.parent, []);
    children.get(one.parent).push(one);
  }
  // Inserts the last ones first, each directly after that child: so they are in order.
  for (const line of lines.filter(({ group }) => group).reverse()) {
    const top = commonAncestor(line.members.filter((one) => !one.further));
    let [beside] = line.members;
    while (beside.parent !== top) beside = beside.parent;
    const list = children.get(top);
    list.splice(list.indexOf(beside) + 1, 0, line);
  }
  const isMember = (item) => item.group !== null && !Array.isArray(item.members);
  for (const [parent, list] of children)
    children.set(
      parent,
      list.filter((item) => !isMember(item)),
    );
  return children;
}

// The nearest common ancestor of the communicators, or null.
function commonAncestor([first, ...others]) {
  const path = ancestorsOf(first);
  for (const one of others) {
    const ancestors = ancestorsOf(one);
    let common = 0;
    while (common < path.length && path[common] === ancestors[common]) common += 1;
    path.length = common;
  }
  return path.at(-1) ?? null;
}
function ancestorsOf({ parent }) {
  const path = [];
  for (; parent; parent = parent.parent) path.push(parent);
  return path.reverse();
}

// The choices of a control that selects a line, or one communicator of a group. isUsed: whether anything is known about
// a communicator.
export function communicatorChoices(lines, isUsed) {
  const choices = [["", "all"]];
  for (const line of lines) {
    const used = line.members.filter(isUsed);
    if (used.length === 0) continue;
    const all = [`line ${line.index}`, `all of ${line.name}`];
    choices.push(line.group ? { label: line.name, choices: [all, ...used.map(choiceOf)] } : choiceOf(used[0]));
  }
  return choices;
}
function choiceOf({ index, name }) {
  return [index, name];
}

// {name, places} for the value of a choice; places is null for all communicators.
export function chosenCommunicators(profile, value) {
  if (value === "") return { name: "all communicators", places: null };
  const line = value.startsWith("line ") ? profile.lines[Number(value.slice(5))] : null;
  if (line) return { name: line.title, places: new Set(line.members.map((one) => one.index)) };
  return { name: profile.communicators[Number(value)].name, places: new Set([Number(value)]) };
}
