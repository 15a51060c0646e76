internal import CWeir
