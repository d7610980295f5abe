#include "support/small_fabric.hpp"

#include <fstream>

void TemporaryFabric::write(std::string_view name, std::string_view text) const {
  std::ofstream(path() / name, std::ios::binary) << text;
}

std::string const small_cables = R"(# Topology file

Switch	4 "S-0000000000000a01"		# "leaf1" base port 0 lid 11 lmc 0
[1]	"H-0000000000000c01"[1](d01) 		# "n1 HCA-1" lid 1 4xSDR
[2]	"H-0000000000000c02"[1](d02) 		# "n2 mlx5_0" lid 2 4xSDR
[3]	"S-0000000000000b01"[1]		# "spine # 1" lid 13 4xSDR

switchguid=0xa02(a02)
Switch	4 "S-0000000000000a02"		# "leaf2" base port 0 lid 12 lmc 0
[1]	"H-0000000000000c03"[1](d03) 		# "n3" lid 3 4xSDR
[2]	"H-0000000000000c04"[1](d04) 		# "n4" lid 4 4xSDR
[3]	"S-0000000000000b01"[2]		# "spine # 1" lid 13 4xSDR

Switch	2 "S-0000000000000b01"		# "spine # 1" enhanced port 0 lid 13 lmc 0
[1]	"S-0000000000000a01"[3]		# "leaf1" lid 11 4xSDR
[2]	"S-0000000000000a02"[3]		# "leaf2" lid 12 4xSDR

vendid=0x2c9
devid=0x1003
sysimgguid=0xc01
caguid=0xc01
Ca	2 "H-0000000000000c01"		# "n1 HCA-1"
[1](d01) 	"S-0000000000000a01"[1]		# lid 1 lmc 0 "leaf1" lid 11 4xSDR

Ca	1 "H-0000000000000c02"		# "n2 mlx5_0"
[1](d02) 	"S-0000000000000a01"[2]		# lid 2 lmc 0 "leaf1" lid 11 4xSDR

Ca	1 "H-0000000000000c03"		# "n3"
[1](d03) 	"S-0000000000000a02"[1]		# lid 3 lmc 0 "leaf2" lid 12 4xSDR

Ca	1 "H-0000000000000c04"		# "n4"
[1](d04) 	"S-0000000000000a02"[2]		# lid 4 lmc 0 "leaf2" lid 12 4xSDR
)";

std::string const small_tables = R"(Unicast lids [0x0-0x4] of switch Lid 11 guid 0x0000000000000a01 (leaf1):
  Lid  Out   Destination
       Port     Info 
0x0001 001 : (Channel Adapter portguid 0x0000000000000d01: 'n1 HCA-1')
0x0002 002 : (Channel Adapter portguid 0x0000000000000d02: 'n2 mlx5_0')
0x0003 003 : (Channel Adapter portguid 0x0000000000000d03: 'n3')
0x0004 003 : (Channel Adapter portguid 0x0000000000000d04: 'n4')
4 valid lids dumped 
Unicast lids [0x0-0x4] of switch Lid 12 guid 0x0000000000000a02 (leaf2):
  Lid  Out   Destination
       Port     Info 
0x0001 003 : (Channel Adapter portguid 0x0000000000000d01: 'n1 HCA-1')
0x0002 003 : (Channel Adapter portguid 0x0000000000000d02: 'n2 mlx5_0')
0x0003 001 : (Channel Adapter portguid 0x0000000000000d03: 'n3')
0x0004 002 : (Channel Adapter portguid 0x0000000000000d04: 'n4')
4 valid lids dumped 
Unicast lids [0x0-0x4] of switch Lid 13 guid 0x0000000000000b01 (spine # 1):
  Lid  Out   Destination
       Port     Info 
0x0001 001 : (Channel Adapter portguid 0x0000000000000d01: 'n1 HCA-1')
0x0002 001 : (Channel Adapter portguid 0x0000000000000d02: 'n2 mlx5_0')
0x0003 002 : (Channel Adapter portguid 0x0000000000000d03: 'n3')
0x0004 002 : (Channel Adapter portguid 0x0000000000000d04: 'n4')
4 valid lids dumped 
)";

std::string const small_slurm_topology =
    "# a tree\n"
    "SwitchName=leaf1 Nodes=n[1-2]\n"
    "switchname=leaf2 nodes=n[3-4] LinkSpeed=1  # not known what it means\n"
    "\n"
    "SwitchName=spine Switches=leaf[1-2]\n";

std::string const small_ranks =
    "rank,host,pid,cpus,threads,wall_s,mpi_s\n"
    "0,n1,1,0,1,10.0,2.0\n"
    "1,n1,2,1,1,10.0,2.0\n"
    "2,n2.cluster,3,0,1,10.0,2.0\n"
    "3,n3,4,0,1,10.0,2.0\n";

TemporaryProfile::Content small_run() {
  TemporaryProfile::Content content;
  content.ranks = 4;
  content.communicators = {"W_s1.0,W,Comm_split,2,\"1,3\",,,,0"};
  content.peers = {"main,W,p2p,0,1,8,15,5,50,",
                   "main,W,p2p,0,2,64,127,2,200,",
                   "main,W,p2p,0,3,512,1023,3,3000,",
                   "solve,W_s1.0,p2p,1,3,512,1023,1,1000,",
                   "main,W,internal,3,1,64,127,4,400,Allreduce",
                   "main,W,p2p,2,-1,4,7,1,7,"};
  return content;
}
