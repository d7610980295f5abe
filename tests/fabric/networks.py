"""Networks as ibsim reads them: nodes with numbers of ports, and cables between them."""


class Network:
    def __init__(self):
        self.ports = {}  # name -> {number: (peer, its number)}
        self.adapters = []
        self.switches = []

    def add_host(self, name, ports=1):
        self.adapters.append((name, ports))
        self.ports[name] = {}

    def add_switch(self, name):
        self.switches.append(name)
        self.ports[name] = {}

    def connect(self, one, other):
        """A cable between the next free ports."""
        numbers = len(self.ports[one]) + 1, len(self.ports[other]) + 1
        self.ports[one][numbers[0]] = (other, numbers[1])
        self.ports[other][numbers[1]] = (one, numbers[0])

    def hosts(self):
        return [name for name, _ in self.adapters]

    def text(self):
        """The first host is the one that the subnet manager runs on."""
        heads = [f'Hca {ports} "{name}"' for name, ports in self.adapters]
        heads += [f'Switch {len(self.ports[name])} "{name}"' for name in self.switches]
        blocks = []
        for head in heads:
            name = head.split('"')[1]
            lines = [f'[{number}] "{peer}"[{port}]' for number, (peer, port) in self.ports[name].items()]
            blocks.append("\n".join([head, *lines]) + "\n")
        return "\n".join(blocks)


def two_levels(leaves=3, spines=2, hosts_per_leaf=2, cables=1, without=(), ports=1):
    """without: pairs of leaf and spine that have a cable less. ports: of each host, on leaf after leaf."""
    network = Network()
    for i in range(leaves * hosts_per_leaf):
        network.add_host(f"node{i + 1:02}", ports)
    for name in [f"spine{i + 1}" for i in range(spines)] + [f"leaf{i + 1}" for i in range(leaves)]:
        network.add_switch(name)
    for port in range(ports):
        for i, host in enumerate(network.hosts()):
            network.connect(host, f"leaf{(i // hosts_per_leaf + port) % leaves + 1}")
    for leaf in range(1, leaves + 1):
        for spine in range(1, spines + 1):
            for _ in range(cables - ((leaf, spine) in without)):
                network.connect(f"leaf{leaf}", f"spine{spine}")
    return network


def three_levels(pods=2, hosts_per_leaf=2):
    """Each pod has two leaves and two spines; two cores connect the pods, each with one spine of a pod."""
    network = Network()
    for i in range(2 * pods * hosts_per_leaf):
        network.add_host(f"node{i + 1:02}")
    for name in ("core1", "core2"):
        network.add_switch(name)
    for pod in range(1, pods + 1):
        for name in (f"spine{pod}a", f"spine{pod}b", f"leaf{pod}a", f"leaf{pod}b"):
            network.add_switch(name)
        for letter in "ab":
            for spine in "ab":
                network.connect(f"leaf{pod}{letter}", f"spine{pod}{spine}")
        network.connect(f"spine{pod}a", "core1")
        network.connect(f"spine{pod}b", "core2")
    for i, host in enumerate(network.hosts()):
        leaf = i // hosts_per_leaf
        network.connect(host, f"leaf{leaf // 2 + 1}{'ab'[leaf % 2]}")
    return network


def torus(side=3):
    """Switches in a square whose ends meet, each with a host."""
    network = Network()
    for i in range(side * side):
        network.add_host(f"node{i + 1:02}")
    for x in range(side):
        for y in range(side):
            network.add_switch(f"switch{x}{y}")
    for i, host in enumerate(network.hosts()):
        network.connect(host, f"switch{i // side}{i % side}")
    for x in range(side):
        for y in range(side):
            network.connect(f"switch{x}{y}", f"switch{(x + 1) % side}{y}")
            network.connect(f"switch{x}{y}", f"switch{x}{(y + 1) % side}")
    return network
